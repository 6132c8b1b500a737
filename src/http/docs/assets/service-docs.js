// Shows the service's own OpenAPI document with Swagger UI. The page has everything else.
const place = document.getElementById('service')
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  // Without the credentials that the address of the page may hold.
  url: new URL(place.dataset.openapi, location.origin).href,
  domNode: place,
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: ['get'],
})
