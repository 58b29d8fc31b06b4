import { Module } from '@nestjs/common';
import { AssistantsModule } from '../assistants.module';
import { FilesModule } from '../../files';
import { KnowledgeBasesModule } from '../../knowledge-bases';
import { OrganizationsModule } from '../../organizations';
import { RubricsModule } from '../../rubrics';
import { DemoSeeder } from './demo-seeder.service';

@Module({
  imports: [AssistantsModule, FilesModule, KnowledgeBasesModule, OrganizationsModule, RubricsModule],
  providers: [DemoSeeder],
  exports: [DemoSeeder],
})
export class DemoModule {}
