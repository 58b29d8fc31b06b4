export interface Part {
  readonly filename: string | Buffer;
  readonly content?: string;
}

const BOUNDARY = 'bellwether-test-boundary';

/** A multipart body written by hand: clients of every kind reach an upload, not only well-behaved ones. */
export function multipart(parts: readonly Part[]): { readonly body: Uint8Array<ArrayBuffer>; readonly type: string } {
  const pieces = parts.flatMap(({ filename, content = 'Text.' }) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="`),
    Buffer.from(filename),
    Buffer.from(`"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`),
  ]);
  return {
    body: new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])),
    type: `multipart/form-data; boundary=${BOUNDARY}`,
  };
}
