import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type * as Sdk from '@aws-sdk/client-s3';
import { CONFIG, type Config } from '../../../infrastructure/config';
import { isMissingObject, reasonOf, s3Error } from './s3.errors';

type S3Settings = Config['files']['s3'];

const CONNECT_MS = 3_000;
/** Of one request without an answer, or answered with 5xx or 429. */
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
