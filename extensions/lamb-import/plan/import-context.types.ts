import type { LambOrganization, LambSource } from '@bellwether/lamb-reader';
import type { Transaction } from '../../../src/infrastructure/database';
import type { ReportBuilder } from '../report-builder';
import type { Origins } from '../origin.repository';
import type { ImportOptions } from './import-options.types';

/** Everything that the import of one organization needs to know. */
export interface ImportContext {
  readonly organization: LambOrganization;
  /** Id here, of the existing or of the new organization. */
  readonly organizationId: string;
  readonly source: LambSource;
  readonly options: ImportOptions;
  readonly origins: Origins;
  readonly report: ReportBuilder;
  /** @throws {AppError} `conflict` when another import has taken over */
  readonly renewLease: (tx?: Transaction) => Promise<void>;
  /** Tells the operator the current step. */
  readonly tell: (text: string) => void;
}

export interface WriteContext extends ImportContext {
  readonly tx: Transaction;
}
