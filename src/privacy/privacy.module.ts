import { Module } from '@nestjs/common';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { RunDoorModule } from '../runs-api';
import { RunsModule } from '../runs';
import { PersonRowsRepository } from './catalogue/person-rows.repository';
import { AccountRemoval } from './erasure/account-removal.service';
import { AuditRedaction } from './erasure/audit-redaction.service';
import { ContentRepository } from './erasure/content.repository';
import { ErasurePlans } from './erasure/erasure-plan.service';
import { ErasureRepository } from './erasure/erasure.repository';
import { ErasureRunner } from './erasure/erasure-runner.service';
import { ErasureSteps } from './erasure/erasure-steps.service';
import { Erasures } from './erasure/erasures.service';
import { OpenRunsRepository } from './erasure/open-runs.repository';
import { OpenRuns } from './erasure/open-runs.service';
import { SubjectRepository } from './erasure/subject.repository';
import { OrganizationExports } from './organization/export/organization-export.service';
import { OrganizationReadingRepository } from './organization/export/organization-reading.repository';
import { EndingNotices } from './organization/notices/ending-notices.service';
import { NoticePeopleRepository } from './organization/notices/notice-people.repository';
import { OrganizationErasureJobs } from './organization/organization-erasure-jobs.service';
import { OrganizationErasure } from './organization/organization-erasure.service';
import { OrganizationRowsRepository } from './organization/organization-rows.repository';
import { PersonExports } from './export/person-export.service';
import { StoredBlobsRepository } from './export/stored-blobs.repository';
import { PersonData } from './person-data.service';
import { AskersRepository } from './pseudonyms/askers.repository';
import { PseudonymLookup } from './pseudonyms/pseudonym-lookup.service';
import { PrivacyController } from './privacy.controller';
import { RetentionJobs } from './retention/retention-jobs.service';
import { RetentionRepository } from './retention/retention.repository';
import { Retention } from './retention/retention.service';

/** Export and erasure of one person's data, and retention. */
@Module({
  controllers: [PrivacyController],
  imports: [FilesModule, KnowledgeBasesModule, OrganizationsModule, RunDoorModule, RunsModule],
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
    OrganizationReadingRepository,
    OrganizationRowsRepository,
    OpenRunsRepository,
    OpenRuns,
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
