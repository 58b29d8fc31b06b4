/** bcrypt with 2^12 rounds, as LAMB and Open WebUI store passwords. */
const HASH = /^\$2[aby]\$12\$[./A-Za-z0-9]{53}$/;

/** A hash of no password: its comparison takes as long as any other. */
export const HASH_OF_NOTHING = `$2b$12$${'.'.repeat(53)}`;

/** Only one cost is taken: another one would tell by its time which addresses have a password. */
export const isTakenHash = (text: string): boolean => HASH.test(text);
