import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../kernel';
import { assertJsonShape, CHAT_LIMITS, HOUSE_LIMITS, type JsonLimits } from './json-shape';
import { toAppError } from './to-app-error';

/** Conversations with pictures in them are large; everything else is not. */
const CHAT_BODY = '25mb';
/** What a background run is asked for is kept in the database until it ends. */
const RUN_BODY = '4mb';
const HOUSE_BODY = '1mb';
/** Read of anybody. */
const SIGN_IN_BODY = '4kb';

const CHAT_PATH = /^\/(v1\/chat\/completions|lamb\/v1\/completions|api\/v1\/assistants\/\d+\/completions)\/?$/;
const RUN_PATH = /^\/api\/v1\/assistants\/\d+\/runs\/?$/;

/** The one route that takes a body without a credential. */
export const isSignIn = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'POST' && path === '/api/v1/session';

/** Called back by the parser, outside the router: a throw from here would end the process, so the error is handed on. */
function guardShape(request: Request, limits: JsonLimits, next: NextFunction): void {
  let refusal: unknown;
  try {
    if (request.body !== undefined) assertJsonShape(request.body, limits);
  } catch (error) {
    refusal = error;
  }
  next(refusal);
}

const jsonBody = (limit: string, limits: JsonLimits): RequestHandler[] => [
  express.json({ limit, strict: false, type: ['application/json', 'application/*+json'] }),
  (request, _response, next) => guardShape(request, limits, next),
];

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** JSON, or multipart where a route reads it itself; anything else (forms above all: CSRF) is refused. */
function onlyKnownTypes(request: Request, _response: Response, next: NextFunction): void {
  if (!hasBody(request) || request.is(['json', '+json', 'multipart/form-data']) !== false) next();
  else next(new AppError('unsupported_media_type', 'Send application/json, or multipart/form-data to upload routes'));
}

/** Errors become ours here: Nest turns a SyntaxError into a bad request that quotes the body, before any filter sees it. */
function sequence(handlers: readonly RequestHandler[], request: Request, response: Response, next: NextFunction): void {
  const [first, ...rest] = handlers;
  if (first === undefined) return next();
  void first(request, response, (error?: unknown) =>
    error === undefined ? sequence(rest, request, response, next) : next(toAppError(error)),
  );
}

/** The only body parsers of the service; Nest's own are off (they accept form posts on JSON routes). */
export function bodyParsers(): RequestHandler[] {
  const chat = jsonBody(CHAT_BODY, CHAT_LIMITS);
  const run = jsonBody(RUN_BODY, CHAT_LIMITS);
  const house = jsonBody(HOUSE_BODY, HOUSE_LIMITS);
  const signIn = jsonBody(SIGN_IN_BODY, HOUSE_LIMITS);
  const parsersOf = (request: Request): readonly RequestHandler[] => {
    const { path } = request;
    if (CHAT_PATH.test(path)) return chat;
    if (RUN_PATH.test(path)) return run;
    return isSignIn(request) ? signIn : house;
  };
  return [onlyKnownTypes, (request, response, next) => sequence(parsersOf(request), request, response, next)];
}
