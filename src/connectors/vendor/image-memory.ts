import { AppError } from '../../kernel';

const MEBIBYTE = 1024 * 1024;
/** Bytes of the images of one request, all together. */
const MOST_OF_ONE = 24 * MEBIBYTE;
/** Bytes of all images that the process loads at once. Reading and encoding need up to three times as much. */
const MOST_OF_ALL = 96 * MEBIBYTE;
const TRY_AGAIN_SECONDS = 5;

let heldByAll = 0;

/** Counts the image bytes of one request against the limits of the request and of the process. */
export class ImageMemory {
  private bytes = 0;

  get left(): number {
    return MOST_OF_ONE - this.bytes;
  }

  /** @throws AppError `payload_too_large` beyond what one request may hold, `too_many_requests` beyond what all may */
  take(bytes: number): void {
    if (bytes > this.left) {
      throw new AppError('payload_too_large', `The images hold more than ${MOST_OF_ONE / MEBIBYTE} MB together`);
    }
    if (heldByAll + bytes > MOST_OF_ALL) {
      throw new AppError('too_many_requests', 'Too many images are loaded at once', { retryAfter: TRY_AGAIN_SECONDS });
    }
    this.bytes += bytes;
    heldByAll += bytes;
  }

  release(): void {
    heldByAll -= this.bytes;
    this.bytes = 0;
  }
}
