import { AdmissionModule } from './infrastructure/admission';
import { AuditModule } from './infrastructure/audit';
import { IdempotencyModule } from './infrastructure/idempotency';
import { JobsModule } from './infrastructure/jobs';
import { LanguagesModule } from './infrastructure/languages';
import { MailModule } from './infrastructure/mail';
import { OutboundModule } from './infrastructure/outbound';
import { RowCacheModule } from './infrastructure/cache';
import { SignalsModule } from './infrastructure/signals';
import { TracingModule } from './infrastructure/telemetry';

/** Global modules that modules use without importing them. */
export const INFRASTRUCTURE = [
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
