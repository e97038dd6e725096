import type { VerifyPage } from '../../queries/panels.ts';
import type { Picture } from '../../upload-picture.ts';

/** The settings as fields: empty text is nothing. */
export type Looks = {
  title: string;
  welcome: string;
  accent: string;
  logo: Picture | null;
  background: Picture | null;
};

const pictureOf = (id: string | null, url: string | null): Picture | null =>
  id !== null && url !== null ? { id, url } : null;

export const looksOf = (page: VerifyPage): Looks => ({
  title: page.title ?? '',
  welcome: page.welcome ?? '',
  accent: page.accent ?? '',
  logo: pictureOf(page.logoUploadId, page.logoUrl),
  background: pictureOf(page.backgroundUploadId, page.backgroundUrl),
});

/** As the service stores them. */
export const settingsOf = ({ title, welcome, accent, logo, background }: Looks) => ({
  title: title.trim() || null,
  welcome: welcome || null,
  accent: accent || null,
  logoUploadId: logo?.id ?? null,
  backgroundUploadId: background?.id ?? null,
});

/** Where the service shows the page as it would be. */
export const previewUrl = (serverId: string, looks: Looks, scheme: 'light' | 'dark'): string => {
  const { title, welcome, accent } = settingsOf(looks);
  const given = {
    ...{ title, welcome, accent },
    logo: looks.logo && tokenOf(looks.logo),
    background: looks.background && tokenOf(looks.background),
  };
  const query = new URLSearchParams({ scheme });
  for (const [name, value] of Object.entries(given)) if (value) query.set(name, value);
  return `/dashboard/verify-preview/${serverId}?${query}`;
};

/** `/uploads/<token>.webp`. */
const tokenOf = ({ url }: Picture): string =>
  new URL(url).pathname.split('/').at(-1)?.split('.')[0] ?? '';
