/** A path without parts that leave the folder or that some system cannot store. Adds the path to `taken`. */
export function archivePath(folder: string, name: string, taken: Set<string>): string {
  const parts = name
    .split(/[/\\]+/)
    .map((part) => part.replace(/[\p{Cc}<>:"|?*]/gu, '_').trim())
    .filter((part) => part !== '' && !/^\.+$/.test(part));
  const path = [folder, ...(parts.length === 0 ? ['file'] : parts)].join('/');
  let free = path;
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = path.replace(/(\.[^./]*)?$/, ` (${number})$1`);
  taken.add(free.toLowerCase());
  return free;
}
