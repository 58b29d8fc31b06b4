import { AppError } from '../../kernel';

const MEBIBYTE = 1024 * 1024;
/** Bytes of the images of one request, all together. */
const MAX_REQUEST_BYTES = 24 * MEBIBYTE;
/** Bytes of all images that the process holds at once. Reading and encoding need up to three times as much memory. */
const MAX_PROCESS_BYTES = 96 * MEBIBYTE;
const TRY_AGAIN_SECONDS = 5;

let processBytes = 0;

/** Counts the image bytes of one request against the limits of the request and of the process. */
export class ImageMemory {
  private bytes = 0;

  get left(): number {
    return MAX_REQUEST_BYTES - this.bytes;
  }

  /** @throws AppError `payload_too_large` beyond the request's limit, `too_many_requests` beyond the process's */
  take(bytes: number): void {
    if (bytes > this.left) {
      throw new AppError('payload_too_large', `The images hold more than ${MAX_REQUEST_BYTES / MEBIBYTE} MB together`);
    }
    if (processBytes + bytes > MAX_PROCESS_BYTES) {
      throw new AppError('too_many_requests', 'Too many images are loaded at once', { retryAfter: TRY_AGAIN_SECONDS });
    }
    this.bytes += bytes;
    processBytes += bytes;
  }

  release(): void {
    processBytes -= this.bytes;
    this.bytes = 0;
  }
}
