import { Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger as Pino } from 'pino';
import { openApiDocument } from './app.openapi';
import { CredentialMiddleware } from './auth';
import { CONFIG, type Config } from './infrastructure/config';
import {
  answerUnreadableRequests,
  bodyParsers,
  ProblemFilter,
  RequestMetrics,
  validationPipe,
} from './infrastructure/http';
import { CompletionFastPath } from './openai-api';
import { MetricRegistry, RequestSpans, Tracer, moduleLogger, requestLog } from './infrastructure/telemetry';
import { WebService } from './web-ui';
import { withoutOrganization } from './infrastructure/database';

/** Against slow-header and slow-body attacks. */
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

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

/** Helmet's headers are the same for every answer: they are made once. */
function securityHeaders(publicUrl: string | null): RequestHandler {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  const set = helmet({
    contentSecurityPolicy: { directives: { 'script-src': ["'self'"], 'upgrade-insecure-requests': null } },
    // Subdomains may belong to other services. Without https the header means nothing (RFC 6797 §7.2).
    strictTransportSecurity: publicUrl?.startsWith('https:') ? { includeSubDomains: false } : false,
  });
  set({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  const made = [...headers];
  return (_request, answer, next) => {
    for (const [name, value] of made) answer.setHeader(name, value);
    next();
  };
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
  app.use(securityHeaders(app.get<Config>(CONFIG).http.publicUrl), keepNothing);
  const problems = new ProblemFilter(app.get(Reflector), requests.refused);
  app.use(
    app.get(CompletionFastPath).handler((error, request, response) => {
      problems.answer(error, { request, response, inOpenAiShape: true });
    }),
  );
  const gate = app.get(CredentialMiddleware);
  app.use(gate.use.bind(gate), ...bodyParsers());
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(problems);
  serveDocumentation(app);
  if (!app.get(WebService).prepare()) logger.info('the web UI is not built; the API works without it');
  const server = app.getHttpServer();
  answerUnreadableRequests(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
}
