import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AssistantImport, ShareImport } from '../../../src/assistants';
import { PromptTemplateImport } from '../../../src/assistants/prompt-templates';
import { FileImport } from '../../../src/files';
import { SecretsService } from '../../../src/infrastructure/secrets';
import { CollectionImport } from '../../../src/knowledge-bases';
import { type ImportedOrganizationValues, OrganizationImport } from '../../../src/organizations';
import { RubricImport } from '../../../src/rubrics';
import { ActivityImport, BridgeKeyImport, LegacyPersonImport } from '../../lti/legacy';
import { canonical, fingerprint, renameHint } from '../organization-settings';
import { OriginRepository } from '../origin.repository';
import type { ImportPlan, WriteContext } from '../plan/plan.types';

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

const CHANGED = 'its settings were changed here and at the source; the settings here were kept';

/** Writes the organization itself: name, suspension and settings. */
@Injectable()
export class OrganizationWriter {
  constructor(
    private readonly organizations: OrganizationImport,
    private readonly origins: OriginRepository,
    private readonly secrets: SecretsService,
  ) {}

  /** False when the slug is taken: then there is no organization to import into. */
  async write({ slug, values }: ImportPlan, context: WriteContext): Promise<boolean> {
    const { organization, source, options, report, tx } = context;
    const link = await this.origins.organization(options.sourceName, String(organization.id), tx);
    const prints = this.prints(values);
    if (link === null) {
      if (await this.organizations.isSlugTaken(slug, tx)) {
        const message = `an organization ${slug} exists here and did not come from this one`;
        report.conflict(
          report.organization,
          'slug.taken',
          `${message}; ${renameHint(organization, source.organizations)}`,
        );
        return false;
      }
      await this.organizations.insert(context, slug, values);
      report.count('organization', 'created');
    } else {
      if (prints.includes(link.importedSha256)) {
        report.count('organization', 'unchanged');
        return true;
      }
      if ((await this.storedPrint(context)) !== link.localSha256) {
        report.conflict(report.organization, 'changed_on_both_sides', CHANGED);
        return true;
      }
      await this.organizations.update(context, values);
      report.count('organization', 'updated');
    }
    await this.link(prints[0] ?? '', context);
    return true;
  }

  private async link(importedSha256: string, context: WriteContext): Promise<void> {
    const { organization, organizationId, options, tx } = context;
    const localSha256 = await this.storedPrint(context);
    const link = { originId: String(organization.id), localId: organizationId, importedSha256, localSha256 };
    await this.origins.save(organizationId, options.sourceName, 'organization', [link], tx);
  }

  private async storedPrint(context: WriteContext): Promise<string> {
    return fingerprint(await this.organizations.find(context));
  }

  /** HMACs, newest key first: settings hold secrets, and a plain hash would let short ones be guessed. */
  private prints(values: ImportedOrganizationValues): string[] {
    const keys = this.secrets.derivedKeys('import/settings');
    if (keys.length === 0) return [fingerprint(values)];
    return keys.map((key) => createHmac('sha256', key).update(canonical(values)).digest('hex'));
  }
}
