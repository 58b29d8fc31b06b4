export {
  Access,
  ACCESS_METADATA,
  type AccessOptions,
  type AccessRule,
  type BellwetherRequest,
  CurrentCaller,
  Public,
  type RequiredRole,
} from './access.decorator';
export { bodyParsers, isSignIn } from './body-parsers';
export { clientAbortSignal } from './client-abort';
export { OpenAiErrors } from './error-shape.decorator';
export { ERROR_STATUS, ERROR_TITLES } from './error-status';
export { expectedVersion, IfMatch, ReadsIfMatch } from './if-match';
export { MayBeOmitted } from './may-be-omitted.decorator';
export { openAiError, type OpenAiErrorBody } from './open-ai-error';
export { PageQueryDto, toPageRequest } from './page-query.dto';
export { ProblemDto, ProblemItemDto } from './problem.dto';
export { ProblemFilter } from './problem.filter';
export { toAppError } from './to-app-error';
export { ACCEPTS_FILES_METADATA, AcceptFiles, type UploadedFile, type UploadLimits, Uploads } from './upload';
export { validationPipe } from './validation.pipe';
export { TagsVersion } from './version-tag';
