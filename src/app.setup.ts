import type { INestApplication } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Logger as Pino } from 'pino';
import { CredentialMiddleware } from './auth';
import { CONFIG, type Config, serviceVersion } from './infrastructure/config';
import {
  answerUnreadableRequests,
  bodyParsers,
  describeAnswers,
  ProblemFilter,
  RequestMetrics,
  wholeNumbers,
  validationPipe,
} from './infrastructure/http';
import { MetricRegistry, RequestSpans, Tracer, moduleLogger, requestLog } from './infrastructure/telemetry';
import { WebService } from './web-ui';
import { withoutOrganization } from './infrastructure/database';

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

/** Against slow-header and slow-body attacks. */
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

interface Operation {
  readonly tags?: readonly string[];
  readonly parameters?: { readonly name: string }[];
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
  return describeAnswers(wholeNumbers({ ...document, tags }));
}

function serveDocumentation(app: NestExpressApplication): void {
  // Made at the first request.
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'api/openapi.json',
    customSiteTitle: 'Bellwether API',
  });
}

/** Answers of these paths are private. Pages and files set their own cache headers. */
const ANSWERS = /^\/(?:api|v1|lamb|mcp|auth|scim)(?:\/|$)/i;

/** Keeps answers out of shared caches. A route may override it. */
function keepNothing({ path }: Request, response: Response, next: NextFunction): void {
  if (ANSWERS.test(path)) response.setHeader('Cache-Control', 'private, no-store');
  next();
}

/** Configures what stands between socket and controllers, for server, tests and the OpenAPI writer. */
export function setUpApp(app: NestExpressApplication, logger: Pino): void {
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((_request: Request, _response: Response, next: NextFunction) => withoutOrganization(next));
  // Only these proxies may say who asked (`X-Forwarded-For`) and how (`X-Forwarded-Proto`).
  app.set('trust proxy', [...app.get<Config>(CONFIG).http.trustedProxies.cidrs]);
  const requests = new RequestMetrics(app.get(MetricRegistry));
  const tracer = app.get(Tracer);
  const observers = tracer.isOn ? [requests, new RequestSpans(tracer)] : [requests];
  app.use(requestLog(moduleLogger(logger, 'Http', app.get<Config>(CONFIG).log.modules), observers));
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { 'script-src': ["'self'"], 'upgrade-insecure-requests': null } },
      // Subdomains may belong to other services. Without https the header means nothing (RFC 6797 §7.2).
      strictTransportSecurity: app.get<Config>(CONFIG).http.publicUrl?.startsWith('https:')
        ? { includeSubDomains: false }
        : false,
    }),
  );
  app.use(keepNothing);
  const gate = app.get(CredentialMiddleware);
  app.use(gate.use.bind(gate), ...bodyParsers());
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new ProblemFilter(app.get(Reflector), requests.refused));
  serveDocumentation(app);
  if (!app.get(WebService).prepare()) logger.info('the web UI is not built; the API works without it');
  const server = app.getHttpServer();
  answerUnreadableRequests(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
}
