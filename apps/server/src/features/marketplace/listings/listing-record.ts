import type { Picture } from '../../../http/pages/placeholders.ts';
import { pictureUrl } from '../../uploads/pictures/send-picture.ts';
import type { ShownListing } from '../queries/listings.ts';
import { deliveryTypeOf } from '../rules.ts';

export type ListingPictures = { picture: Picture; baseUrl: string };

/** A listing as everybody sees it. */
export const listingRecord = (listing: ShownListing, { picture, baseUrl }: ListingPictures) => {
  const { sellerId: id, sellerName: username, sellerAvatarUrl, imageToken, ...shown } = listing;
  return {
    ...shown,
    imageUrl: imageToken === null ? null : pictureUrl(baseUrl, imageToken),
    deliveryType: deliveryTypeOf(listing.category),
    seller: { id, username, avatar: picture('avatar', sellerAvatarUrl) },
  };
};
