import { AppError, notFound } from '@bellwether/kernel';
import { createHash, randomUUID } from 'node:crypto';
import type * as Sdk from '@aws-sdk/client-s3';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type Finding, finding } from '../../infrastructure/findings';

/** Every upload sends this header, which a store may not support. */
const SHA256_OF_OK = createHash('sha256').update('ok').digest('base64');
/** A person waits for the result. */
const PATIENCE_MS = 10_000;

const RETRY_SECONDS = 5;
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'EntityTooLarge', 'InsufficientStorage']);
const MISSING_OBJECT = new Set(['NoSuchKey', 'NotFound']);

/** Causes that an operator can act on. */
type S3Fault = 'missing_bucket' | 'refused' | 'failing' | 'unreachable';

interface Failure {
  readonly name: string;
  readonly status: number | null;
  /** Code of a failed connection, such as ECONNREFUSED. */
  readonly code: string | null;
}

function failureOf(error: unknown): Failure {
  if (typeof error !== 'object' || error === null) return { name: 'unknown', status: null, code: null };
  const { name, code, $metadata } = error as {
    readonly name?: string;
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return {
    name: name ?? 'unknown',
    status: $metadata?.httpStatusCode ?? null,
    code: typeof code === 'string' ? code : null,
  };
}

export const isMissingObject = (error: unknown): boolean => MISSING_OBJECT.has(failureOf(error).name);

export function faultOf(error: unknown): S3Fault {
  const { name, status } = failureOf(error);
  if (name === 'NoSuchBucket') return 'missing_bucket';
  if (status === 401 || status === 403 || name === 'CredentialsProviderError') return 'refused';
  return status === null ? 'unreachable' : 'failing';
}

/** The failure in names and codes, for the log and for operators. Never the store's message, which may contain keys. */
export function reasonOf(error: unknown): string {
  const { name, status, code } = failureOf(error);
  const known = code ?? (name === 'Error' ? null : name);
  return [known, status === null ? null : String(status)].filter((part) => part !== null).join(' ') || 'unknown';
}

/** The same codes as those of the disk. */
export function s3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isMissingObject(error)) return notFound('File content');
  const { name, status } = failureOf(error);
  if (FULL.has(name) || status === 507) {
    return new AppError('insufficient_storage', 'No space left for uploaded files', { cause: error });
  }
  return new AppError('unavailable', 'The file storage does not answer', { cause: error, retryAfter: RETRY_SECONDS });
}

type S3Settings = Config['files']['s3'];

const CONNECT_MS = 3_000;
/** Attempts for one request without an answer, or answered with 5xx, or with 429. */
const ATTEMPTS = 3;

/** Work with the client of the SDK. `signal` aborts its requests, their retries and the bodies of their answers. */
type S3Work<T> = (client: Sdk.S3Client, sdk: typeof Sdk, signal: AbortSignal) => Promise<T>;

/** The only place that sets up the SDK. Loads it at the first request, as it costs 20 MB and 0.1 s. */
@Injectable()
export class S3Connection implements OnApplicationShutdown {
  readonly settings: S3Settings;
  private readonly log = new Logger('Files');
  private opened: Promise<{ readonly client: Sdk.S3Client; readonly sdk: typeof Sdk }> | null = null;

  constructor(@Inject(CONFIG) { files }: Config) {
    this.settings = files.s3;
  }

  /** `S3_BUCKET` as the requests name it. */
  get bucket(): string {
    return this.settings.bucket ?? '';
  }

  /** @throws {AppError} `not_found`, `insufficient_storage`, `unavailable` */
  async send<T>(operation: string, work: S3Work<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.sendRaw(work, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const failure = s3Error(error);
      if (!isMissingObject(error) && failure !== error) {
        this.log.warn({ msg: 'a request to the bucket failed', operation, reason: reasonOf(error) });
      }
      throw failure;
    }
  }

  /** Rejects with the error of the SDK. */
  async sendRaw<T>(work: S3Work<T>, signal?: AbortSignal): Promise<T> {
    const { client, sdk } = await (this.opened ??= this.open());
    const timeout = AbortSignal.timeout(this.settings.timeoutMs);
    return work(client, sdk, signal === undefined ? timeout : AbortSignal.any([timeout, signal]));
  }

  async onApplicationShutdown(): Promise<void> {
    (await this.opened)?.client.destroy();
  }

  private async open(): Promise<{ readonly client: Sdk.S3Client; readonly sdk: typeof Sdk }> {
    const sdk = await import('@aws-sdk/client-s3');
    return { client: new sdk.S3Client(clientOptions(this.settings)), sdk };
  }
}

/** Checks the bucket, for the page "Health" and the command `doctor`. */
@Injectable()
export class BucketCheck {
  constructor(private readonly connection: S3Connection) {}

  /** Writes, reads, lists and deletes an object: each needs its own permission. No findings without a bucket. */
  async check(): Promise<readonly Finding[]> {
    const { bucket, prefix } = this.connection.settings;
    if (bucket === null) return [];
    const target = { Bucket: bucket, Key: `${prefix}health/${randomUUID()}` };
    const begun = performance.now();
    try {
      await this.connection.sendRaw(async (client, sdk, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ ...target, Body: 'ok', ChecksumSHA256: SHA256_OF_OK }), {
          abortSignal,
        });
        const { Body } = await client.send(new sdk.GetObjectCommand(target), { abortSignal });
        await Body?.transformToString();
        await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: target.Key }), { abortSignal });
        await client.send(new sdk.DeleteObjectCommand(target), { abortSignal });
      }, AbortSignal.timeout(PATIENCE_MS));
      return [finding('bucket.ok', { bucket, ms: Math.round(performance.now() - begun) })];
    } catch (error) {
      return [finding(`bucket.${faultOf(error)}`, { bucket, reason: reasonOf(error) })];
    }
  }
}

function clientOptions(settings: S3Settings): Sdk.S3ClientConfig {
  const { endpoint, region, pathStyle, accessKeyId, secretAccessKey, timeoutMs } = settings;
  return {
    region,
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Other stores may not know the checksums that the SDK adds by default. Uploads state their SHA-256 themselves.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    ...(endpoint === null ? {} : { endpoint }),
    // Without keys the SDK looks in its usual places: ~/.aws, or the role of the machine or pod.
    ...(accessKeyId === null || secretAccessKey === null ? {} : { credentials: { accessKeyId, secretAccessKey } }),
  };
}
