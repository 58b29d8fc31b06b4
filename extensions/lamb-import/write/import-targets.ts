import { Injectable } from '@nestjs/common';
import { AssistantImport, ShareImport } from '../../../src/assistants';
import { PromptTemplateImport } from '../../../src/assistants/prompt-templates';
import { FileImport } from '../../../src/files';
import { CollectionImport } from '../../../src/knowledge-bases';
import { ActivityImport, BridgeKeyImport, LegacyPersonImport } from '../../lti';
import { RubricImport } from '../../../src/rubrics';

/** The import targets of the content of an organization. */
@Injectable()
export class ImportTargets {
  constructor(
    readonly rubrics: RubricImport,
    readonly promptTemplates: PromptTemplateImport,
    readonly collections: CollectionImport,
    readonly assistants: AssistantImport,
    readonly shares: ShareImport,
    readonly files: FileImport,
    readonly activities: ActivityImport,
    readonly keys: BridgeKeyImport,
    readonly ltiPeople: LegacyPersonImport,
  ) {}
}
