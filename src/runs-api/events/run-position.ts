import { invalid } from '../../kernel';

const SEQ = /^\d{1,9}$/;

/** Parses `Last-Event-ID`; undefined without the header. @throws `validation_failed` */
export function lastSeenOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && SEQ.test(header)) return Number(header);
  throw invalid([{ path: 'Last-Event-ID', message: 'must be the id of an event of this run' }]);
}
