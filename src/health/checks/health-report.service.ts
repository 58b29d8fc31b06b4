import { Injectable, Logger } from '@nestjs/common';
import { type Finding, finding, HEALTH_STATES, type HealthState, worstOf } from '../../infrastructure/findings';
import type { Check } from './check.types';
import { InstallationChecks } from './installation-checks';
import { OutsideChecks } from './outside-checks';
import { ProcessChecks } from './process-checks';

/** Readers within this time get one report. */
const KEEP_MS = 5_000;
/** More than reading a certificate takes, less than a reader waits. */
const PATIENCE_MS = 5_000;

export interface Report {
  /** The worst of the findings. */
  readonly state: HealthState;
  readonly checkedAt: Date;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

/** Makes the checks of the installation and reports what they found. */
@Injectable()
export class HealthReport {
  private readonly logger = new Logger('Health');
  private readonly checks: readonly Check[];
  /** By name. A check that hangs is not begun a second time. */
  private readonly running = new Map<string, Promise<readonly Finding[]>>();
  private kept: Report | null = null;
  private making: Promise<Report> | null = null;

  constructor(installation: InstallationChecks, process: ProcessChecks, outside: OutsideChecks) {
    this.checks = [...installation.checks, ...process.checks, ...outside.checks];
  }

  /** At most some seconds old. Never rejects: a check that fails or hangs is a finding. */
  async latest(): Promise<Report> {
    if (this.kept !== null && Date.now() - this.kept.checkedAt.getTime() < KEEP_MS) return this.kept;
    this.making ??= this.make().finally(() => {
      this.making = null;
    });
    return this.making;
  }

  private async make(): Promise<Report> {
    const found = (await Promise.all(this.checks.map((check) => this.guarded(check)))).flat();
    const findings = HEALTH_STATES.toReversed().flatMap((state) => found.filter((each) => each.state === state));
    this.kept = { state: worstOf(findings), checkedAt: new Date(), findings };
    return this.kept;
  }

  private async guarded(check: Check): Promise<readonly Finding[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
    });
    try {
      return await Promise.race([this.run(check), late]);
    } catch (error) {
      this.logger.warn({ msg: 'a check of the health failed', check: check.name, err: error });
      return [finding('check.failed', { check: check.name })];
    } finally {
      clearTimeout(timer);
    }
  }

  private run({ name, make }: Check): Promise<readonly Finding[]> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const begun = (async () => [await make()].flat())();
    this.running.set(name, begun);
    const ended = (): boolean => this.running.delete(name);
    begun.then(ended, ended);
    return begun;
  }
}
