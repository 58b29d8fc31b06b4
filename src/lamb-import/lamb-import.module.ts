import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants';
import { FilesModule } from '../files';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { RubricsModule } from '../rubrics';
import { LambImport } from './lamb-import.service';
import { AssistantMove } from './moving/assistant-move';
import { ContentMove } from './moving/content-move';
import { FileLuggage } from './moving/file-luggage';
import { ImportRecords } from './moving/import-records';
import { Landings } from './moving/landings';
import { OrganizationEntrance } from './moving/organization-entrance';
import { OrganizationMove } from './moving/organization-move';
import { ImportLeaseRepository } from './storage/import-lease.repository';
import { OriginRepository } from './storage/origin.repository';

/** Moves an existing LAMB installation in: organization by organization, again and again without doubling anything. */
@Module({
  imports: [AssistantsModule, FilesModule, KnowledgeBasesModule, OrganizationsModule, RubricsModule],
  providers: [
    LambImport,
    OrganizationMove,
    OrganizationEntrance,
    ContentMove,
    AssistantMove,
    FileLuggage,
    Landings,
    ImportRecords,
    OriginRepository,
    ImportLeaseRepository,
  ],
  exports: [LambImport],
})
export class LambImportModule {}
