/** Keys of steps that other planners wait for. */
export const channelKey = (oldId: string) => `channel ${oldId}`;
export const emojiKey = (oldId: string) => `emoji ${oldId}`;
/** The step that points the guild's settings to new channels before the old ones are deleted. */
export const repointKey = 'early repoint';
