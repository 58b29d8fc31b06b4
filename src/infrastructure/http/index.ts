export {
  Access,
  ACCESS_METADATA,
  type AccessOptions,
  type AccessRule,
  type BellwetherRequest,
  CurrentCaller,
  FOR_PEOPLE_METADATA,
  ForPeople,
  Public,
  type RequiredRole,
} from './routes/access.decorator';
export { bodyParsers, hasBody, isChat, isCompletion, takesBodyOfAnybody } from './bodies/body-parsers';
export { clientAbortSignal, whenAborted, whileClientStays } from './routes/client-abort';
export { OpenAiErrors } from './errors/error-shape.decorator';
export { describeErrors } from './errors/describe-errors.decorator';
export { SCIM_MEDIA_TYPE, ScimError, ScimErrorDto } from './errors/scim-error';
export { isScimPath } from './routes/scim-path';
export { ERROR_STATUS, ERROR_TITLES } from './errors/error-status';
export { expectedVersion, IfMatch, ReadsIfMatch } from './routes/if-match';
export { RequestMetrics } from './http.metrics';
export { IsName } from './routes/is-name.decorator';
export { IsPlainName } from './routes/is-plain-name.decorator';
export { assertHouseJson } from './bodies/json-scanner';
export { encodeJson, writeJson } from './bodies/large-json';
export { MayBeOmitted } from './routes/may-be-omitted.decorator';
export { type MemoryClaim, PROMPTS } from './bodies/memory-budget';
export { cutSlowBody } from './bodies/slow-body';
export { openAiError, type OpenAiErrorBody } from './errors/open-ai-error';
export { PageOf } from './routes/page-of';
export { PageQueryDto, toPageRequest } from './routes/page-query.dto';
export { ProblemDto, ProblemItemDto } from './errors/problem.dto';
export { ProblemFilter } from './problem.filter';
export { toAppError } from './errors/to-app-error';
export { ACCEPTS_FILES_METADATA, AcceptFiles, type UploadedFile, type UploadLimits, Uploads } from './bodies/upload';
export { answerUnreadableRequests } from './errors/unreadable-requests';
export { validationPipe } from './routes/validation.pipe';
export { TagsVersion } from './routes/version-tag';
