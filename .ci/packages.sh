# Sourced by the scripts: installs the Debian packages that are missing, as root or through sudo.
# SPDX-License-Identifier: Apache-2.0
need() {
    local missing=() package
    for package; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "please install as root: apt-get install ${missing[*]}" >&2
            return 1
        }
        root=(sudo)
    fi
    echo "installing ${missing[*]}"
    "${root[@]}" apt-get update -qq </dev/null
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" </dev/null >/dev/null
}
