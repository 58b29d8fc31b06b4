import { readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { MetricRegistry, counter, gauge } from './metric-registry';

export const PROCESS_CPU = counter({
  name: 'process_cpu_seconds',
  help: 'CPU time of the process, of user and system together.',
  labels: [],
});
export const PROCESS_MEMORY = gauge({
  name: 'process_resident_memory_bytes',
  help: 'Resident memory of the process.',
  labels: [],
});
export const PROCESS_START = gauge({
  name: 'process_start_time_seconds',
  help: 'Start of the process, in seconds since 1970.',
  labels: [],
});
export const PROCESS_FILES = gauge({
  name: 'process_open_fds',
  help: 'Open file descriptors of the process, sockets included.',
  labels: [],
});
export const HEAP_USED = gauge({
  name: 'v8js_memory_heap_used_bytes',
  help: 'Memory of JavaScript objects.',
  labels: [],
});
export const LOOP_DELAY = {
  p50: gauge({
    name: 'nodejs_eventloop_delay_p50_seconds',
    help: 'Median delay of the event loop since the last scrape.',
    labels: [],
  }),
  p99: gauge({
    name: 'nodejs_eventloop_delay_p99_seconds',
    help: 'Delay of the event loop since the last scrape, 99th percentile.',
    labels: [],
  }),
  max: gauge({
    name: 'nodejs_eventloop_delay_max_seconds',
    help: 'Longest delay of the event loop since the last scrape.',
    labels: [],
  }),
} as const;
export const LOOP_UTILIZATION = gauge({
  name: 'nodejs_eventloop_utilization_ratio',
  help: 'Share of the time since the last scrape in which the event loop was busy.',
  labels: [],
});
export const DATA_FREE = gauge({
  name: 'bellwether_data_directory_free_bytes',
  help: 'Free space of the file system that holds DATA_DIR.',
  labels: [],
});
export const DATA_SIZE = gauge({
  name: 'bellwether_data_directory_size_bytes',
  help: 'Size of the file system that holds DATA_DIR.',
  labels: [],
});

const RESOLUTION_MS = 20;
/** A second scraper shortly after the first one sees the same window. */
const LEAST_WINDOW_MS = 5_000;

/** Figures of the process and of the disk that it writes to. */
@Injectable()
export class ProcessStatistics implements OnApplicationShutdown {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly cpu;
  private delays = { p50: 0, p99: 0, max: 0 };
  private utilization = 0;
  private windowBegan = performance.now();
  private loop: EventLoopUtilization = performance.eventLoopUtilization();
  private disk: { readonly free: number; readonly size: number } | null = null;

  constructor(
    registry: MetricRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.cpu = registry.counter(PROCESS_CPU);
    registry.gauge(PROCESS_MEMORY, () => [[[], process.memoryUsage.rss()]]);
    registry.gauge(PROCESS_START, () => [[[], performance.timeOrigin / 1_000]]);
    registry.gauge(PROCESS_FILES, () => [[[], openFiles()]]);
    registry.gauge(HEAP_USED, () => [[[], process.memoryUsage().heapUsed]]);
    for (const name of ['p50', 'p99', 'max'] as const)
      registry.gauge(LOOP_DELAY[name], () => [[[], this.delays[name]]]);
    registry.gauge(LOOP_UTILIZATION, () => [[[], this.utilization]]);
    registry.gauge(DATA_FREE, () => (this.disk === null ? [] : [[[], this.disk.free]]));
    registry.gauge(DATA_SIZE, () => (this.disk === null ? [] : [[[], this.disk.size]]));
    registry.beforeScrape(() => this.refresh());
    if (registry.isRead) this.delay.enable();
  }

  onApplicationShutdown(): void {
    this.delay.disable();
  }

  private async refresh(): Promise<void> {
    const { user, system } = process.cpuUsage();
    this.cpu.at().value = (user + system) / 1e6;
    this.disk = await statfs(this.config.database.dataDir).then(
      ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, size: blocks * bsize }),
      () => null,
    );
    if (performance.now() - this.windowBegan < LEAST_WINDOW_MS) return;
    this.windowBegan = performance.now();
    this.delays = {
      p50: delaySeconds(this.delay.percentile(50)),
      p99: delaySeconds(this.delay.percentile(99)),
      max: delaySeconds(this.delay.max),
    };
    this.delay.reset();
    const now = performance.eventLoopUtilization();
    this.utilization = performance.eventLoopUtilization(now, this.loop).utilization;
    this.loop = now;
  }
}

/** The monitor measures from one tick of its own timer to the next. */
const delaySeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);

/** NaN, which is not shown, where the system does not tell. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}
