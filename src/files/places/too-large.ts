import { AppError } from '../../kernel';

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload_too_large', `The file is larger than ${maxBytes} bytes`, {
    reason: 'file.too_large',
    values: { bytes: maxBytes },
  });
