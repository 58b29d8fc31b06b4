import {
  type Batch,
  type MigrationPlan,
  type MigrationStatus,
  planMigration,
  readStatus,
  type Scope,
} from './requests';

/** Versions and batches, and the last dry run. */
export class Migration {
  organizations = $state.raw<MigrationStatus['organizations']>([]);
  batches = $state.raw<readonly Batch[]>([]);
  loading = $state(true);
  error = $state.raw<unknown>(null);

  plan = $state.raw<MigrationPlan | null>(null);
  planning = $state(false);
  planError = $state.raw<unknown>(null);
  private planned = $state.raw<Scope | null>(null);
  private cursor = $state.raw<string | null>(null);
  private running: AbortController | null = null;

  readonly hasMore = $derived.by(() => this.cursor !== null);

  async load(): Promise<void> {
    await this.fetch(undefined);
  }

  async more(): Promise<void> {
    if (this.cursor !== null) await this.fetch(this.cursor);
  }

  /** Tells what would be done; an earlier dry run is given up. */
  async dryRun(scope: Scope): Promise<void> {
    this.stop();
    const running = new AbortController();
    this.running = running;
    this.planning = true;
    this.planError = null;
    this.plan = null;
    try {
      this.plan = await planMigration(scope, running.signal);
      this.planned = scope;
    } catch (error) {
      if (!running.signal.aborted) this.planError = error;
    } finally {
      if (this.running === running) this.planning = false;
    }
  }

  /** Whether the dry run on the page is one of this choice. */
  hasPlanFor({ org, to }: Scope): boolean {
    return this.plan !== null && this.planned?.org === org && this.planned.to === to;
  }

  stop(): void {
    this.running?.abort();
  }

  private async fetch(cursor: string | undefined): Promise<void> {
    this.loading = true;
    this.error = null;
    try {
      const { organizations, batches } = await readStatus(cursor);
      this.organizations = organizations;
      this.batches = cursor === undefined ? batches.items : [...this.batches, ...batches.items];
      this.cursor = batches.next_cursor;
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }
}
