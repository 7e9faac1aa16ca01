/** Notifications that the browser itself shows. Asked for by a button only, and remembered in this browser. */

const WANTED_KEY = 'sidelane:browser-notifications';
const SHOWN_KEY = 'sidelane:browser-notifications-shown';

export type BrowserNotifications = 'missing' | 'denied' | 'off' | 'on';

/** What this browser does now. Storage may be forbidden: then nothing is remembered and nothing shown. */
export function readBrowserNotifications(): BrowserNotifications {
  if (!('Notification' in window)) return 'missing';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && read(WANTED_KEY) === '1' ? 'on' : 'off';
}

/** Asks the person, by the browser's own question. Call it from a click. */
export async function allowBrowserNotifications(): Promise<BrowserNotifications> {
  if (!('Notification' in window)) return 'missing';
  if ((await Notification.requestPermission()) === 'granted') write(WANTED_KEY, '1');
  return readBrowserNotifications();
}

export function stopBrowserNotifications(): BrowserNotifications {
  write(WANTED_KEY, '0');
  return readBrowserNotifications();
}

/** Several tabs hear of the same thing: the first one shows it. Ids grow with time. */
export function claimForThisTab(id: string): boolean {
  if ((read(SHOWN_KEY) ?? '') >= id) return false;
  write(SHOWN_KEY, id);
  return true;
}

/** Shows it; a click brings the tab to the front and leads to `href`. */
export function showBrowserNotification(input: {
  id: string;
  title: string;
  body: string;
  href: string;
  lang: string;
}): void {
  const shown = new Notification(input.title, { body: input.body, tag: input.id, lang: input.lang });
  shown.onclick = () => {
    window.focus();
    window.location.assign(input.href);
    shown.close();
  };
}

function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // Private mode: this tab alone goes without.
  }
}
