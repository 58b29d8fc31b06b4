import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from '@bellwether/plugin';
import { StaticChecks } from '../../src/assistants';
import { PluginRules } from '../../src/assistants/running/plugin-rules';
import type { RewriteSubject } from '../../src/assistants';
import type { ToolVocabulary } from '../../src/assistants/definition';
import { ProvedMigrator } from '../../src/migration/proof/proved-migrator';
import { PromptRenderer } from '../../src/migration/proof/prompt-renderer';
import { PROOF_DOUBLES } from '../../src/migration/proof/proof-doubles';
import { StrategyCatalogue, type OrchestratorStrategy } from '../../src/orchestrators';
import { STRATEGY_PLUGINS } from '../../src/orchestrators/catalog';
import type { Config } from '../../src/infrastructure/config';
import { processorsOver } from '../../src/processors';
import { ToolCatalogue, toolsOver } from '../../src/tools';

const config = { tools: { defaultTimeoutMs: 30_000, maxRetries: 3, parallelLimit: 5 } } as Config;

const installed = (): { readonly strategies: StrategyCatalogue; readonly rules: PluginRules } => {
  const strategies = new StrategyCatalogue(
    new Map(
      STRATEGY_PLUGINS.map(({ key, useClass }): [string, OrchestratorStrategy] => [key, new useClass({} as never)]),
    ),
  );
  const tools = new ToolCatalogue(toolsOver(PROOF_DOUBLES));
  return { strategies, rules: new PluginRules(tools, strategies, processorsOver(PROOF_DOUBLES)) };
};

/** The migrator over every installed tool and strategy, without database and without an application. */
export function migrator(otherRules: Partial<ToolVocabulary> = {}): ProvedMigrator {
  const { strategies, rules } = installed();
  return new ProvedMigrator(new StaticChecks(Object.assign(rules, otherRules)), strategies, config);
}

export function renderer(plugins?: readonly Plugin[]): PromptRenderer {
  const { strategies, rules } = installed();
  return new PromptRenderer(strategies, config, rules, plugins);
}

type Definition = RewriteSubject['definition'];

export const subjectOf = (definition: Partial<Definition>): RewriteSubject => ({
  id: 7,
  organizationId: '0195f2a0-0000-7000-8000-000000000001',
  ownerId: '0195f2a0-0000-7000-8000-000000000002',
  version: 1,
  definition: {
    type: 'classic',
    name: 'Tutor',
    description: '',
    systemPrompt: 'You teach.',
    promptTemplate: '',
    metadata: '',
    ragCollections: '',
    ragTopK: 3,
    ...definition,
  },
});

/** A stored definition; `metadata` to the letter, or an object for one that was stored as its JSON. */
export interface StoredFixture {
  readonly metadata: unknown;
  readonly prompt_template: string;
  readonly RAG_collections: string;
  readonly RAG_Top_k: number;
}

export interface MigratedFixture {
  readonly metadata: unknown;
  readonly prompt_template: string;
}

/** A stored definition and what each later version makes of it. */
export interface MigrationFixture {
  readonly name: string;
  readonly stored: StoredFixture;
  readonly '2'?: MigratedFixture;
  readonly '3'?: MigratedFixture;
}

/** A definition that is left as it is, and why. */
export interface RefusedFixture {
  readonly name: string;
  readonly stored: StoredFixture;
  readonly problems: readonly { readonly path: string; readonly code: string }[];
}

const FOLDER = join(__dirname, '../fixtures/metadata');

const filesOf = <T>(folder: string): T[] =>
  readdirSync(join(FOLDER, folder)).map((file) => ({
    name: file.replace('.json', ''),
    ...(JSON.parse(readFileSync(join(FOLDER, folder, file), 'utf8')) as T),
  }));

export const migrationFixtures = (): MigrationFixture[] => filesOf('migrations');
export const refusedFixtures = (): RefusedFixture[] => filesOf('refused');

export const definitionOf = ({ stored }: { readonly stored: StoredFixture }): RewriteSubject['definition'] =>
  subjectOf({
    metadata: typeof stored.metadata === 'string' ? stored.metadata : JSON.stringify(stored.metadata),
    promptTemplate: stored.prompt_template,
    ragCollections: stored.RAG_collections,
    ragTopK: stored.RAG_Top_k,
  }).definition;
