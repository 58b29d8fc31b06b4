import { batchSize } from './export-database';

const rows = (count: number, bytes: number, longest: number): number =>
  batchSize({ rows: count, checksum: '', bytes, longest });

describe('a batch of rows', () => {
  it('is bounded by their number, by their usual size and by the largest of them', () => {
    expect(rows(1_000_000, 100_000_000, 200)).toBe(1_000);
    expect(rows(100, 100 * 1_048_576, 1_048_576)).toBe(4);
    expect(rows(100_000, 110_000_000, 10_485_760)).toBe(3);
    expect(rows(1, 100_000_000, 100_000_000)).toBe(1);
    expect(rows(0, 0, 0)).toBeGreaterThan(0);
  });
});
