import { expect, it } from 'vitest';
import { auditQuery, NO_FILTER } from './audit-filter';

it('leaves out what is empty', () => {
  expect(auditQuery(NO_FILTER)).toEqual({});
  expect(auditQuery({ ...NO_FILTER, actor: ' ana@example.edu ', text: '  ' })).toEqual({ actor: 'ana@example.edu' });
});

it('includes the last day', () => {
  const { from = '', to = '' } = auditQuery({ ...NO_FILTER, from: '2026-11-01', to: '2026-11-30' });
  expect(new Date(from)).toEqual(new Date(2026, 10, 1));
  expect(new Date(to)).toEqual(new Date(2026, 11, 1));
});
