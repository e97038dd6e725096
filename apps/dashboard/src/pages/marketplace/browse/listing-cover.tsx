import { categoryLabels } from '../../../labels/marketplace.ts';
import type { Listing } from '../../../queries/records.ts';
import classes from './listing-cover.module.css';

type ListingCoverProps = {
  listing: Pick<Listing, 'imageUrl' | 'category'>;
  /** Over a wide column: lower, unless it is a picture. */
  isWide?: boolean;
};

/** The picture of a listing; without one the pattern, colour and sign of its category. */
export const ListingCover = ({ listing, isWide = false }: ListingCoverProps) => {
  const { imageUrl, category } = listing;
  if (imageUrl) {
    return (
      <img className={classes.picture} src={new URL(imageUrl).pathname} alt="" loading="lazy" />
    );
  }
  const { icon: Glyph } = categoryLabels[category];
  return (
    <div
      className={classes.pattern}
      data-category={category}
      data-wide={isWide || undefined}
      aria-hidden
    >
      <Glyph className={classes.sign} stroke={4} />
    </div>
  );
};
