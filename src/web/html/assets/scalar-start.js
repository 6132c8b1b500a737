// Starts Scalar under the policy of our pages, which allows no inline styles: each style element gets the nonce of the page, and each style
// attribute is set as properties. It loads nothing from elsewhere, and sends requests only to this service.
const nonce = document.querySelector('[property="csp-nonce"]').content

const { createElement } = Document.prototype
Document.prototype.createElement = function (...names) {
  const element = createElement.apply(this, names)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}

const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}

// Highlighted samples come as HTML with such an attribute, which only numbered lines would need.
const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
Object.defineProperty(Element.prototype, 'innerHTML', {
  ...innerHtml,
  set(text) {
    innerHtml.set.call(this, String(text).replace(/ style="--line-count: \d+; --line-digits: \d+;"/, ''))
  },
})

// Scalar's script has run by then.
document.addEventListener('DOMContentLoaded', () => {
  const place = document.getElementById('reference')
  globalThis.Scalar.createApiReference(place, {
    url: place.dataset.document,
    servers: [{ url: location.origin + place.dataset.root }],
    authentication: { preferredSecurityScheme: 'apiKey' },
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    withDefaultFonts: false,
    hideClientButton: true,
    persistAuth: false,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
  })
})
