declare const __HOOKLOOP_VERSION__: string | undefined;
declare const __HOOKLOOP_BUILD__: string | undefined;
declare const __HOOKLOOP_OUTERMOST__: number | undefined;
declare const __HOOKLOOP_LAST_LINE__: string | undefined;

/** All are filled in when the program is bundled. */
export const version: string = typeof __HOOKLOOP_VERSION__ === 'string' ? __HOOKLOOP_VERSION__ : 'source';
export const build: string = typeof __HOOKLOOP_BUILD__ === 'string' ? __HOOKLOOP_BUILD__ : 'source';
/** Where the look at who has started us ends: in tests at the process that runs them, else nowhere (0). */
export const outermostProcess: number = typeof __HOOKLOOP_OUTERMOST__ === 'number' ? __HOOKLOOP_OUTERMOST__ : 0;

/** Every file of the bundled program ends with it: one that does not was cut off, or is empty. */
export const lastLine: string = typeof __HOOKLOOP_LAST_LINE__ === 'string' ? __HOOKLOOP_LAST_LINE__ : '';

export const isWhole = (text: string): boolean => text.endsWith(lastLine);
