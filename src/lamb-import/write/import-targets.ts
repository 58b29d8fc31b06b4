import { Injectable } from '@nestjs/common';
import { AssistantImport, ShareImport } from '../../assistants';
import { PromptTemplateImport } from '../../prompt-templates';
import { FileImport } from '../../files';
import { CollectionImport } from '../../knowledge-bases';
import { ActivityImport, BridgeKeyImport, LegacyPersonImport } from '../../lti';
import { RubricImport } from '../../rubrics';

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
