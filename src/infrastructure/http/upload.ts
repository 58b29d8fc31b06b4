import { AppError, type AppErrorOptions, isPlainName, NAME_RULE } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  applyDecorators,
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  mixin,
  type NestInterceptor,
  SetMetadata,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request, RequestHandler, Response } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import { finalize, type Observable } from 'rxjs';
import type { BellwetherRequest } from './routes/access.decorator';
import { type MemoryClaim, UPLOADS } from './memory-budget';

export interface UploadLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  readonly files: number;
  /** Bytes of all files of one request, which are held in memory. */
  readonly totalBytes: number;
  /** True: a larger file arrives without bytes and the route reports it. False: the request fails. */
  readonly admitLarger: boolean;
}

/** One uploaded file. `name` is a label chosen by the client, never a path. */
export interface UploadedFile {
  readonly name: string;
  readonly size: number;
  /** Empty for a larger file under `admitLarger`. */
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** On routes that take multipart bodies. */
export const ACCEPTS_FILES_METADATA = 'bellwether:accepts-files';

const FIELD = 'files';
const MEBIBYTE = 1024 * 1024;
const NAME_MAX = 255;
const DEFAULT_LIMITS: UploadLimits = {
  fileBytes: 10 * MEBIBYTE,
  files: 1000,
  totalBytes: 50 * MEBIBYTE,
  admitLarger: false,
};

type UploadRequest = BellwetherRequest & { uploads?: readonly UploadedFile[] };
type MulterFile = Express.Multer.File & { readonly sha256: string };

const tooLarge = (detail: string, why: Pick<AppErrorOptions, 'reason' | 'values'>): AppError =>
  new AppError('payload_too_large', detail, why);

const tooMuchInAll = ({ totalBytes }: UploadLimits): AppError =>
  tooLarge(`The files hold more than ${totalBytes} bytes in all; send them in several requests`, {
    reason: 'files.too_large',
    values: { bytes: totalBytes },
  });

const fileTooLarge = ({ fileBytes }: UploadLimits): AppError =>
  tooLarge(`A file is larger than ${fileBytes} bytes`, { reason: 'file.too_large', values: { bytes: fileBytes } });

/** Bounds each file and their sum; the memory storage of multer bounds only each file. Hashes on the way. */
function boundedMemory(limits: UploadLimits, memory: MemoryClaim): StorageEngine {
  return {
    _handleFile(_request, file, done) {
      const parts: Buffer[] = [];
      const hash = createHash('sha256');
      let size = 0;
      let refusal: unknown = null;
      const stream: Readable = file.stream;
      stream.on('data', (part: Buffer) => {
        size += part.length;
        hash.update(part);
        if (refusal !== null) return;
        if (size > limits.fileBytes) {
          memory.giveBack(parts.splice(0).reduce((sum, { length }) => sum + length, 0));
          if (!limits.admitLarger) refusal = fileTooLarge(limits);
          return;
        }
        parts.push(part);
        try {
          memory.take(part.length);
          if (memory.size > limits.totalBytes) throw tooMuchInAll(limits);
        } catch (error) {
          refusal = error;
          parts.length = 0;
        }
      });
      stream.once('error', (error) => done(error));
      stream.once('end', () => {
        if (refusal !== null) done(refusal);
        else done(null, { buffer: Buffer.concat(parts), size, sha256: hash.digest('hex') } as Partial<MulterFile>);
      });
    },
    _removeFile(_request, _file, done) {
      done(null);
    },
  };
}

function explain(error: unknown, limits: UploadLimits): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof MulterError)) {
    return new AppError('bad_request', 'The multipart body is malformed or was cut short', { cause: error });
  }
  if (error.code === 'LIMIT_FILE_COUNT' || error.code === 'LIMIT_PART_COUNT') {
    return tooLarge(`More than ${limits.files} files in one request; send the rest in further requests`, {
      reason: 'files.too_many',
      values: { limit: limits.files },
    });
  }
  if (error.code === 'LIMIT_UNEXPECTED_FILE' || error.code === 'LIMIT_FIELD_COUNT') {
    return new AppError('bad_request', `Only the form field "${FIELD}" is accepted, once per file`);
  }
  return new AppError('bad_request', 'The multipart body cannot be read', { cause: error });
}

function checkedName(name: string): string {
  if (name.length > NAME_MAX || !name.isWellFormed() || !isPlainName(name) || name.includes('\uFFFD')) {
    throw new AppError('bad_request', `A file name must be valid UTF-8, at most ${NAME_MAX} long, and ${NAME_RULE}`);
  }
  return name;
}

const toUpload = (file: MulterFile): UploadedFile => ({
  name: checkedName(file.originalname),
  size: file.size,
  bytes: file.buffer,
  sha256: file.sha256,
});

const parse = (handler: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    void handler(request, response, (error?: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(error instanceof Error ? error : new Error('upload failed'));
    });
  });

function checkHead(request: Request, limits: UploadLimits): void {
  if (request.is('multipart/form-data') === false) {
    throw new AppError('unsupported_media_type', `Send multipart/form-data with the files in the field "${FIELD}"`);
  }
  if (Number(request.headers['content-length'] ?? 0) > 2 * limits.totalBytes) throw tooMuchInAll(limits);
}

async function readUploads(
  request: UploadRequest,
  response: Response,
  limits: UploadLimits,
  memory: MemoryClaim,
): Promise<void> {
  // File names are UTF-8 in every browser (WHATWG HTML, multipart/form-data); the default of multer is latin1.
  const handler = multer({
    storage: boundedMemory(limits, memory),
    defParamCharset: 'utf8',
    // busboy would drop a part called "..".
    preservePath: true,
    limits: { files: limits.files, parts: limits.files, fields: 0, headerPairs: 20 },
  }).array(FIELD, limits.files);
  try {
    await parse(handler, request, response);
  } catch (error) {
    throw explain(error, limits);
  }
  const files = Array.isArray(request.files) ? request.files : [];
  if (files.length === 0) throw new AppError('bad_request', `No file in the form field "${FIELD}"`);
  request.uploads = files.map((file) => toUpload(file as MulterFile));
  // Equal for equal files, for the comparison by idempotency keys.
  request.body = { files: request.uploads.map(({ name, sha256 }) => ({ name, sha256 })) };
}

function uploadInterceptor(limits: UploadLimits): Type<NestInterceptor> {
  @Injectable()
  class UploadInterceptor implements NestInterceptor {
    async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
      const http = context.switchToHttp();
      const request = http.getRequest<UploadRequest>();
      checkHead(request, limits);
      const memory = UPLOADS.claim(request.caller?.organizationId ?? '');
      try {
        await readUploads(request, http.getResponse<Response>(), limits, memory);
      } catch (error) {
        memory.release();
        throw error;
      }
      return next.handle().pipe(finalize(() => memory.release()));
    }
  }
  return mixin(UploadInterceptor);
}

/** Accepts multipart/form-data with many files in the field `files`. Refuses the rest with 415, 413 or 400. */
export const AcceptFiles = (limits: Partial<UploadLimits> = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCEPTS_FILES_METADATA, true),
    UseInterceptors(uploadInterceptor({ ...DEFAULT_LIMITS, ...limits })),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      schema: {
        type: 'object',
        required: [FIELD],
        properties: { [FIELD]: { type: 'array', items: { type: 'string', format: 'binary' } } },
      },
    }),
  );

/** The files of a route under `@AcceptFiles()`, at least one. */
export const Uploads = createParamDecorator((_data: unknown, context: ExecutionContext): readonly UploadedFile[] => {
  const { uploads } = context.switchToHttp().getRequest<UploadRequest>();
  if (uploads === undefined) throw new AppError('unsupported_media_type', 'Send multipart/form-data');
  return uploads;
});
