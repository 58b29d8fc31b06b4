import { Injectable, Logger } from '@nestjs/common';
import type { MeasuredFigures } from './figures.types';
import { InstallationStatisticsRepository } from './installation-statistics.repository';

/** Seconds between two measurements, whatever the number of processes and scrapers. */
const INTERVAL_S = 30;
/** A process reads what another one measured at most this often. */
const READ_MS = 10_000;
/** A scrape waits no longer; the measurement goes on for the next one. */
const PATIENCE_MS = 2_000;
/** Older figures would tell a state that is long over. */
const OUTDATED_MS = 10 * 60_000;

/** Sizes and queues of the installation, measured once for all processes and only while somebody asks. */
@Injectable()
export class InstallationStatistics {
  private readonly logger = new Logger('Health');
  private known: MeasuredFigures | null = null;
  private readAt = -Infinity;
  private refreshing: Promise<void> | null = null;

  constructor(private readonly repository: InstallationStatisticsRepository) {}

  /** Null while the database does not tell. Never rejects. */
  async latest(): Promise<MeasuredFigures | null> {
    await this.refresh();
    return this.current;
  }

  /** The last known figures; null when they are out of date. */
  get current(): MeasuredFigures | null {
    const { known } = this;
    return known !== null && Date.now() - known.measuredAt.getTime() < OUTDATED_MS ? known : null;
  }

  private async refresh(): Promise<void> {
    if (performance.now() - this.readAt < READ_MS) return;
    this.refreshing ??= this.look().finally(() => {
      this.refreshing = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([this.refreshing, late]);
    clearTimeout(timer);
  }

  private async look(): Promise<void> {
    try {
      const stored = await this.repository.read(INTERVAL_S);
      const measures = stored?.fresh !== true && (await this.repository.claim(INTERVAL_S));
      this.known = measures ? await this.repository.measure() : (stored?.figures ?? this.known);
      this.readAt = performance.now();
    } catch (error) {
      this.logger.warn({ msg: 'sizes and queues could not be measured', err: error });
    }
  }
}
