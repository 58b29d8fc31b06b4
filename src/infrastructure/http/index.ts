export { assertHouseJson, encodeJson, writeJson } from './large-json';
export { type MemoryClaim, PROMPTS } from './memory-budget';
export { bodyParsers, cutSlowBody, hasBody, isChat, isCompletion, readBody, takesBodyOfAnybody } from './read-json';
export { ACCEPTS_FILES_METADATA, AcceptFiles, type UploadLimits, type UploadedFile, Uploads } from './upload';
export { describeAnswers } from './errors/describe-answers';
export { describeErrors } from './errors/describe-errors.decorator';
export { PROBLEM, ProblemDto, ProblemItemDto } from './errors/problem.dto';
export { SCIM_MEDIA_TYPE, ScimError, ScimErrorDto } from './errors/scim-error';
export { ERROR_STATUS, ERROR_TITLES, answerUnreadableRequests, toAppError } from './errors/to-app-error';
export { NAMED_VALUES, wholeNumbers } from './numbers';
export { RequestMetrics } from './http.metrics';
export { type OpenAiErrorBody, OpenAiErrors, ProblemFilter, isScimPath, openAiError } from './problem.filter';
export {
  ACCESS_METADATA,
  ADMINISTRATORS,
  Access,
  type AccessOptions,
  type AccessRule,
  type BellwetherRequest,
  CurrentCaller,
  FOR_PEOPLE_METADATA,
  ForPeople,
  Public,
  type RequiredRole,
  callerOf,
  documented,
} from './routes/access.decorator';
export { clientAbortSignal, onceClientLeaves, whileClientStays } from './routes/client-abort';
export { IfMatch, TagsVersion, expectedVersion } from './routes/if-match';
export { PageOf } from './routes/page-of';
export { PageQueryDto, toPageRequest } from './routes/page-query.dto';
export * from './routes/properties';
export { validationPipe } from './routes/validation.pipe';
