import { AdmissionModule } from './platform/admission';
import { AuditModule } from './platform/audit';
import { IdempotencyModule } from './platform/idempotency';
import { JobsModule } from './platform/jobs';
import { LanguagesModule } from './platform/languages';
import { MailModule } from './platform/mail';
import { OutboundModule } from './platform/outbound';
import { RowCacheModule } from './platform/row-cache';
import { SignalsModule } from './platform/signals';
import { TracingModule } from './platform/tracing';

/** Global modules that rooms use without importing them. */
export const PLATFORM = [
  AdmissionModule,
  OutboundModule,
  AuditModule,
  IdempotencyModule,
  JobsModule,
  LanguagesModule,
  MailModule,
  RowCacheModule,
  SignalsModule,
  TracingModule,
];
