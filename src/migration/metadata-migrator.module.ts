import { Global, Module } from '@nestjs/common';
import { AssistantsModule, METADATA_MIGRATOR } from '../assistants';
import { OrchestratorsModule } from '../orchestrators';
import { ProvedMigrator } from './proof/proved-migrator';

/** Global, because the module of assistants cannot import this one. */
@Global()
@Module({
  imports: [AssistantsModule, OrchestratorsModule],
  providers: [{ provide: METADATA_MIGRATOR, useClass: ProvedMigrator }],
  exports: [METADATA_MIGRATOR],
})
export class MetadataMigratorModule {}
