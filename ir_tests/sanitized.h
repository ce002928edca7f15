/* Is this build under the address sanitizer? Its allocator's locks do not survive a fork (the C
 * library's do), so there no thread may allocate while another one forks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TESTS_SANITIZED_H
#define IRR_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED 1
#endif
#endif
#ifndef ADDRESS_SANITIZED
#define ADDRESS_SANITIZED 0
#endif

#endif
