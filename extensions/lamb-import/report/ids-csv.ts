import { stringify } from 'csv-stringify/sync';
import type { ImportReport } from './report.types';

const COLUMNS = ['source', 'organization', 'old_id', 'new_id', 'old_model', 'new_model', 'name'] as const;

/**
 * Old and new ids of every imported assistant as CSV (RFC 4180) in UTF-8. A name that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
export function idsCsv({ source, organizations }: ImportReport): string {
  const rows = organizations.flatMap(({ slug, assistants }) =>
    assistants.flatMap(({ origin, id, name }) => {
      if (id === null) return [];
      return [[source, slug, origin, id, `lamb_assistant.${origin}`, `lamb_assistant.${id}`, name]];
    }),
  );
  return stringify(rows, { header: true, columns: [...COLUMNS], escape_formulas: true, record_delimiter: '\r\n' });
}
