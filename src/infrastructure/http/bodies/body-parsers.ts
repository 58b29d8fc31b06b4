import { type NextFunction, type Request, type RequestHandler, type Response, urlencoded } from 'express';
import { AppError } from '../../../kernel';
import type { BellwetherRequest } from '../routes/access.decorator';
import { CHAT_LIMITS, HOUSE_LIMITS } from './json-limits';
import { BODIES } from './memory-budget';
import { type BodyLimits, readJson } from './read-json';
import { toAppError } from '../errors/to-app-error';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** Conversations with pictures in them are large; everything else is not. */
const CHAT_BODY: BodyLimits = { ...CHAT_LIMITS, bytes: 25 * MEBIBYTE };
/** The request of a background run is stored in the database until the run ends. */
const RUN_BODY: BodyLimits = { ...CHAT_LIMITS, bytes: 4 * MEBIBYTE };
const HOUSE_BODY: BodyLimits = { ...HOUSE_LIMITS, bytes: MEBIBYTE };
/** Read without a credential. */
const SIGN_IN_BODY: BodyLimits = { ...HOUSE_LIMITS, bytes: 4 * KIBIBYTE };

const CHAT_PATH = /^\/((?:v1\/)?chat\/completions|lamb\/v1\/completions|api\/v1\/assistants\/\d+\/completions)\/?$/;
const RUN_PATH = /^\/api\/v1\/((assistants\/\d+\/)?runs|conversations\/[\da-f-]{36}\/messages)\/?$/i;

const LOGOUT_NOTICE = /^\/auth\/oidc\/[a-z0-9-]{1,63}\/backchannel-logout\/?$/;

const SIGN_IN_PATH = /^\/api\/v1\/session(\/password|\/link(\/person)?)?$/;

const isSignIn = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && SIGN_IN_PATH.test(path);

/** A form that OpenID providers send; its token is signed. */
const isLogoutNotice = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && LOGOUT_NOTICE.test(path);

const LAUNCH =
  /^\/(lti\/(login|launch|deep-link|register\/[\w-]+)|lamb\/v1\/(lti|lti_creator)\/launch|lamb\/v1\/lti_users\/lti)\/?$/;

/** Forms that LTI platforms have a browser send (1EdTech Security Framework 1.0 §5.1.1, LTI 1.1 §3). */
const isLaunch = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && LAUNCH.test(path);

const takesForm = (request: Pick<Request, 'method' | 'path'>): boolean => isLogoutNotice(request) || isLaunch(request);

/** Routes that take a body without a credential. */
export const takesBodyOfAnybody = (request: Pick<Request, 'method' | 'path'>): boolean =>
  isSignIn(request) || takesForm(request);

/** Routes that answer a question at once. */
export const isCompletion = ({ path }: Pick<Request, 'path'>): boolean => CHAT_PATH.test(path);

/** Routes with the largest bodies; all need the scope `chat`. */
export const isChat = (request: Pick<Request, 'path'>): boolean => isCompletion(request) || RUN_PATH.test(request.path);

export const hasBody = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Accepts JSON, and multipart for routes that read it themselves. Refuses the rest: forms above all (CSRF). */
function onlyKnownTypes(request: Request, _response: Response, next: NextFunction): void {
  if (takesForm(request) && request.is('urlencoded') !== false) next();
  else if (!hasBody(request) || request.is(['json', '+json', 'multipart/form-data']) !== false) next();
  else next(new AppError('unsupported_media_type', 'Send application/json, or multipart/form-data to upload routes'));
}

function limitsOf(request: Request): BodyLimits {
  const { path } = request;
  if (CHAT_PATH.test(path)) return CHAT_BODY;
  if (RUN_PATH.test(path)) return RUN_BODY;
  return takesBodyOfAnybody(request) ? SIGN_IN_BODY : HOUSE_BODY;
}

/** The body counts as held until the answer has ended. */
async function readBody(request: BellwetherRequest, response: Response): Promise<void> {
  const memory = BODIES.claim(request.caller?.organizationId ?? '');
  if (response.closed) memory.release();
  else response.once('close', () => memory.release());
  request.body = await readJson(request, limitsOf(request), memory);
}

function jsonBody(request: Request, response: Response, next: NextFunction): void {
  if (request.is(['json', '+json']) === false || request.is('json') === null) next();
  else
    readBody(request, response).then(
      () => next(),
      (error: unknown) => next(toAppError(error)),
    );
}

const readNotice = urlencoded({ extended: false, limit: 16 * KIBIBYTE, parameterLimit: 10 });
/** An ID token of a platform carries the course, its services and everything that authors added. */
const readLaunch = urlencoded({ extended: false, limit: 128 * KIBIBYTE, parameterLimit: 200 });

/** The forms of the service. No session acts on these routes, so that no page can misuse one. */
function formBody(request: Request, response: Response, next: NextFunction): void {
  if (!takesForm(request) || request.is('urlencoded') === false) return next();
  const read = isLaunch(request) ? readLaunch : readNotice;
  read(request, response, (error?: unknown) => next(error === undefined ? undefined : toAppError(error)));
}

/** Replaces the parsers of Nest, which accept form posts on JSON routes. */
export const bodyParsers = (): RequestHandler[] => [onlyKnownTypes, jsonBody, formBody];
