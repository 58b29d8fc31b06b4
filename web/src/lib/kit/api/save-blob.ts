/** Saves bytes as a file of the browser. */
export function saveBlob(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by the next turn; its source has to outlive that.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
