export { PromptTemplatesModule } from './prompt-templates.module';
export { type ImportedPromptTemplate, PromptTemplateImport } from './prompt-templates.service';
