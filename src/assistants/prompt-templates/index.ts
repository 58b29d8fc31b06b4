export { type ImportedPromptTemplate, PromptTemplateImport } from './prompt-template-import';
export { PromptTemplatesModule } from './prompt-templates.module';
