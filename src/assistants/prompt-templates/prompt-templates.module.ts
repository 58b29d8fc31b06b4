import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth';
import { OrganizationsModule } from '../../organizations';
import { PromptTemplateRepository } from './prompt-template.repository';
import { PromptTemplatesController } from './prompt-templates.controller';
import { PromptTemplateImport, PromptTemplatesService } from './prompt-templates.service';

@Module({
  imports: [AuthModule, OrganizationsModule],
  controllers: [PromptTemplatesController],
  providers: [PromptTemplateRepository, PromptTemplatesService, PromptTemplateImport],
  exports: [PromptTemplateImport],
})
export class PromptTemplatesModule {}
