import { pageQuery } from '$lib/kit/api/pages';
import { type Range, type Report, type Row, type Split, usageOf } from './usage-report';

const LARGEST_PAGE = 100;

/** All days of a range, with what each one consists of. */
export class DailyUsage {
  report = $state.raw<Report | null>(null);
  error = $state.raw<unknown>(null);
  private turn = 0;

  constructor(private readonly slug: string) {}

  /** The report before stays in view until the new one is there. */
  async load(range: Range, split: Split): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    try {
      const report = await this.read(range, split);
      if (turn === this.turn) this.report = report;
    } catch (error) {
      if (turn === this.turn) this.error = error;
    }
  }

  private async read(range: Range, split: Split): Promise<Report> {
    const items: Row[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Report = await usageOf(this.slug, { ...range, by: 'day', split, ...pageQuery(LARGEST_PAGE, cursor) });
      items.push(...page.items);
      cursor = page.next_cursor;
      if (cursor === null) return { ...page, items };
    }
  }
}
