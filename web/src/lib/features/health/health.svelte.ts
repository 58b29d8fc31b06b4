import { api, must, type Schema } from '$lib/kit/api/client';

export type HealthReport = Schema<'HealthReportDto'>;
export type Finding = Schema<'FindingDto'>;

/** Findings of the service about itself. */
export class Health {
  /** Null until it is known; kept while the service checks again. */
  report = $state.raw<HealthReport | null>(null);
  checking = $state(false);
  error = $state.raw<unknown>(null);

  async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    this.error = null;
    try {
      this.report = must(await api.GET('/api/v1/admin/health'));
    } catch (error) {
      this.error = error;
    } finally {
      this.checking = false;
    }
  }
}
