import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { RunsApiModule } from '../runs-api';
import { AskersRepository } from './askers.repository';
import { ContentRepository } from './erasure/content.repository';
import { ErasurePlans } from './erasure/erasure-plan.service';
import {
  AccountRemoval,
  AuditRedaction,
  ErasureRunner,
  ErasureSteps,
  RunTermination,
} from './erasure/erasure-runner.service';
import { ErasureRepository } from './erasure/erasure.repository';
import { Erasures } from './erasure/erasures.service';
import { OpenRunsRepository } from './erasure/open-runs.repository';
import { SETTLED_AFTER_MS } from './erasure/settled-after.token';
import { SubjectRepository } from './erasure/subject.repository';
import { EndingNotices } from './organization/ending-notices.service';
import { NoticePeopleRepository } from './organization/notice-people.repository';
import { OrganizationErasure, OrganizationErasureJobs } from './organization/organization-erasure.service';
import { OrganizationExportRepository } from './organization/organization-export.repository';
import { OrganizationExports } from './organization/organization-export.service';
import { OrganizationRowsRepository } from './organization/organization-rows.repository';
import { PersonData } from './person-data.service';
import { PersonExports, PseudonymLookup } from './person-export.service';
import { PersonRowsRepository } from './person-rows.repository';
import { PrivacyController } from './privacy.controller';
import { RetentionRepository } from './retention.repository';
import { Retention, RetentionJobs } from './retention.service';
import { StoredBlobsRepository } from './stored-blobs.repository';

/**
 * After this time no process accepts the person's credentials and every open answer has ended: caches of credentials live
 * 5 s, open work is checked every 4 s, records of runs are written within a second.
 */
const EVERYWHERE_MS = 7_000;

/** Export and erasure of one person's data, and retention. */
@Module({
  controllers: [PrivacyController],
  imports: [FilesModule, KnowledgeBasesModule, OrganizationsModule, RunsApiModule, RunsModule],
  providers: [
    AccountRemoval,
    AskersRepository,
    PseudonymLookup,
    AuditRedaction,
    ContentRepository,
    ErasurePlans,
    ErasureRepository,
    ErasureRunner,
    ErasureSteps,
    Erasures,
    EndingNotices,
    NoticePeopleRepository,
    OrganizationErasure,
    OrganizationErasureJobs,
    OrganizationExports,
    OrganizationExportRepository,
    OrganizationRowsRepository,
    OpenRunsRepository,
    RunTermination,
    { provide: SETTLED_AFTER_MS, useValue: EVERYWHERE_MS },
    PersonData,
    PersonExports,
    PersonRowsRepository,
    Retention,
    RetentionJobs,
    RetentionRepository,
    StoredBlobsRepository,
    SubjectRepository,
  ],
  exports: [ErasurePlans, Erasures, OrganizationExports, PersonExports],
})
export class PrivacyModule {}
