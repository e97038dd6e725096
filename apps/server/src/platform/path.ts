const platformId = /^\d{1,20}$/;

/** Nothing a stranger wrote may lead a request to another place than it was meant for. */
export const demandId = (id: string): void => {
  if (!platformId.test(id)) throw new Error('Not an id of the platform');
};

/** A path below the API's root, such as path`guilds/${guildId}/roles`: ids are all it can hold. */
export const path = (parts: TemplateStringsArray, ...ids: string[]) => {
  for (const id of ids) demandId(id);
  return `/${String.raw({ raw: parts }, ...ids)}` as const;
};
