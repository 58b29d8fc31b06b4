import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CHAT_BODY } from './answering';
import { metadataSchemas } from './assistants';
import { CONNECTORS, type Connector } from './connectors';
import { serviceVersion } from './infrastructure/config';
import { describeAnswers, wholeNumbers } from './infrastructure/http';
import { StrategyCatalogue } from './orchestrators';
import { ProcessorCatalogue } from './processors';
import { FunctionCatalogue, ToolCatalogue } from './tools';

/** Groups of operations, in the order of the page of the API. */
const TAGS: Readonly<Record<string, string>> = {
  OpenAI: 'Chat completions and models, as OpenAI names them',
  Completions: 'Completions of one assistant, by its number',
  Runs: 'Background runs: start, follow, cancel, read',
  Conversations: 'Kept conversations of the signed-in person',
  Receipts: 'Signed records of what a run did',
  Replays: 'Many runs repeated with another version, and compared',
  Assistants: 'Assistants: definitions, versions, sharing, publication, transfer',
  'Tests of assistants': 'Questions with expectations, and their results',
  'Prompt templates': 'Stored texts for system prompts and templates',
  Catalogues: 'Tools, strategies, processors and connectors that assistants can use',
  Files: 'Uploaded files, and images that assistants made',
  'Knowledge bases': 'Collections of documents and searches in them',
  Documents: 'Documents of a knowledge base and their processing',
  Sources: 'Web pages that a knowledge base fetches again on a schedule',
  Judgements: 'Relevance judgements, and search quality measured with them',
  Rubrics: 'Assessment rubrics and their evaluation of texts',
  Organizations: 'Organizations, their settings and their members',
  Groups: 'Groups of members that assistants are shared with',
  'API keys': 'Keys of people and programs',
  'Join links': 'Links and codes by which people without an account become members',
  Session: 'Sign-in, sign-out and open sessions of browsers',
  'Single sign-on': 'OpenID providers of an organization',
  SCIM: 'Users and groups of a directory (RFC 7644)',
  LTI: 'Learning platforms, their launches and courses (LTI 1.3)',
  Privacy: "Download and erasure of a person's data, retention",
  'Usage and limits': 'Tokens, cost and limits',
  'First steps': 'Checklist of a new organization',
  Migrations: 'Upgrade and downgrade of stored metadata',
  LAMB: 'Routes of LAMB for its existing clients',
  Health: 'Probes, health report and metrics for operators',
};

interface Operation {
  readonly tags?: readonly string[];
  readonly parameters?: { readonly name: string }[];
}

/** Schemas made from the plugins of the running service: those from outside have theirs, too. */
function pluginSchemas(app: INestApplication): NonNullable<OpenAPIObject['components']>['schemas'] {
  const processors = app.get(ProcessorCatalogue);
  return metadataSchemas({
    tools: app.get(ToolCatalogue).definitions(),
    functions: app.get(FunctionCatalogue).definitions(),
    strategies: app.get(StrategyCatalogue).definitions(),
    promptProcessors: processors.promptDefinitions(),
    ragProcessors: processors.ragDefinitions(),
    connectors: app.get<readonly Connector[]>(CONNECTORS).map(({ definition }) => definition.name),
  });
}

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Bellwether')
    .setDescription('Learning assistants: classic and multi-tool pipelines behind an OpenAI-compatible API.')
    .setVersion(serviceVersion())
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/', 'The service that answers with this document')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API key `bw_…`' })
    .addCookieAuth('__Host-bw', {
      type: 'apiKey',
      in: 'cookie',
      description: 'Session of a browser, from `POST /api/v1/session`; `bw` where `PUBLIC_URL` is not https',
    })
    .build();
  config.tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
  // A decorator that documents a part of the path does so behind the parameters of the method.
  for (const { parameters } of operations)
    parameters?.sort((a, b) => Number(b.name === 'slug') - Number(a.name === 'slug'));
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  const tags = (document.tags ?? []).filter(({ name }) => used.has(name));
  const { components, ...rest } = describeAnswers(wholeNumbers({ ...document, tags }));
  return {
    ...rest,
    components: { ...components, schemas: { ...components?.schemas, ...CHAT_BODY, ...pluginSchemas(app) } },
  };
}
