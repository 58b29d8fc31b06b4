import { processLabel } from '../infrastructure/database';
import type { Batch, RollbackReport } from './batches/batch.types';
import { batchView } from './migrations.controller';

const at = '2026-11-22T12:00:00.000Z';
const report: RollbackReport = {
  task: 'rollback',
  at,
  rolledBack: 1,
  edited: [{ assistantId: 7, newVersion: 2, version: 3 }],
  editedCount: 1,
  gone: 0,
  historyMissing: 0,
  complete: true,
};
const batch = {
  lease: { holder: { label: `the server (${processLabel})` }, until: new Date(at) },
  result: report,
  createdAt: new Date(at),
  finishedAt: null,
} as unknown as Batch;

const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
    : [];

describe('what is said of a batch', () => {
  it('names nothing of the process that works on it', () => {
    expect(batchView(batch).lease).toEqual({ holder: 'the server', until: at });
  });

  it('has one way of writing names, down to the outcome', () => {
    expect(keysOf(batchView(batch)).filter((key) => /[A-Z]/.test(key))).toEqual([]);
    expect(batchView(batch).result).toMatchObject({ rolled_back: 1, edited: [{ assistant_id: 7, new_version: 2 }] });
  });
});
