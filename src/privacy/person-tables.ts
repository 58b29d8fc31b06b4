import type { PersonTable } from './person-table.types';
import { ACCOUNT_TABLES } from './catalogue/account-tables';
import { CONTENT_TABLES } from './catalogue/content-tables';
import { USE_TABLES } from './catalogue/use-tables';

/**
 * Every table with rows about people, in the order in which an erasure treats them. A test compares the list with the
 * database: it names a table or a column that is missing here and in `TABLES_WITHOUT_PEOPLE`.
 */
export const PERSON_TABLES: readonly PersonTable[] = [...USE_TABLES, ...CONTENT_TABLES, ...ACCOUNT_TABLES];
