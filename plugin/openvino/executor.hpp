// Where asynchronous requests run: threads that begin when they are first needed, at most as many
// as keep the CPUs busy. May not: anything of a reduction, whose own threads are the engine's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino_abi.hpp"

#include <condition_variable>
#include <deque>
#include <thread>

namespace irreduce {

class Executor : public ov::threading::ITaskExecutor {
  public:
    // What was queued still runs. The last owner may be a task: its thread cannot wait for itself.
    ~Executor() override {
        std::unique_lock<std::mutex> lock(m_queue->mutex);
        m_queue->closed = true;
        lock.unlock();
        m_queue->changed.notify_all();
        for (std::thread &thread : m_threads)
            if (thread.get_id() == std::this_thread::get_id())
                thread.detach();
            else
                thread.join();
    }

    void run(std::function<void()> task) override {
        std::lock_guard<std::mutex> lock(m_queue->mutex);
        m_queue->tasks.push_back(std::move(task));
        if (m_queue->tasks.size() > m_queue->idle && m_threads.size() < m_most_threads)
            m_threads.emplace_back(work, m_queue);
        m_queue->changed.notify_one();
    }

  private:
    struct Queue {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::function<void()>> tasks;
        size_t idle = 0;
        bool closed = false;
    };

    static void work(std::shared_ptr<Queue> queue) {
        std::unique_lock<std::mutex> lock(queue->mutex);
        for (;;) {
            queue->idle++;
            queue->changed.wait(lock, [&] { return queue->closed || !queue->tasks.empty(); });
            queue->idle--;
            if (queue->tasks.empty()) return;
            std::function<void()> task = std::move(queue->tasks.front());
            queue->tasks.pop_front();
            lock.unlock();
            task();
            task = nullptr; // it may be the last owner of a request
            lock.lock();
        }
    }

    // One request may keep all CPUs busy; so many may run beside each other.
    const size_t m_most_threads = std::max(1u, std::thread::hardware_concurrency());
    const std::shared_ptr<Queue> m_queue = std::make_shared<Queue>();
    std::vector<std::thread> m_threads;
};

} // namespace irreduce
